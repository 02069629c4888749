step(1)
