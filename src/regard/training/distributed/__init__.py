"""A run of several processes, on one machine or on many, as ``torchrun`` starts them."""
