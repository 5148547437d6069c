"""What every service runs on: settings, bus, gRPC, database, blobs, telemetry, model client."""
