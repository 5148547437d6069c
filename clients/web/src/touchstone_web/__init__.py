"""The one web application of the house: reads every service by gRPC and shows it as pages."""
