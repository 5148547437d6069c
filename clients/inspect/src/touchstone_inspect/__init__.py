"""Releases as tasks of Inspect, judged by our verdict, and our sandbox as Inspect's sandbox provider."""
