"""A cluster on one machine: several nodes, a balancer, a primary with a streaming replica, and Redis."""
