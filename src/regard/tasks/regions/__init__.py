"""What detection and segmentation have in common: pictures in frames, with what is in them."""
