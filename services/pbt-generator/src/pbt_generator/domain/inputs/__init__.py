"""What may cost yield and never truth: shapes of parameters, values drawn, varied and steered at what is open."""
