"""Safe files: checkpoints, manifests, run folders, locks, quantised tensors."""
