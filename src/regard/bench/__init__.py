"""What ``regard bench`` runs: us and the peers, interleaved, with goals and verdicts."""
