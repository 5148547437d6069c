"""The gVisor backend: every job on a kernel of its own, in user space, from one program (`runsc`)."""
