"""What is done to a plan before it runs: fewer nodes, or nodes side by side. The numbers stay the same, bit for bit."""
