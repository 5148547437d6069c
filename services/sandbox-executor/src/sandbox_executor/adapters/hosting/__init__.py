"""What every backend takes of this machine: the file system that jobs see, cgroups, a probe; it knows no backend."""
