"""Several nodes, a balancer, a primary with a streaming replica, and Redis, on one machine: see __main__.py."""
