"""What regard is measured by: ``python -m benchmarks kernels --quick`` from the repository."""
