"""Language models beside plain loops and Hugging Face: run one module, all else is printed."""
