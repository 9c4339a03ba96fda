"""Models of pictures: seven at equal parameters and minutes, and images a second beside peers."""
