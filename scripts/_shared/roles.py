"""The callers of safe-contract ("Who") in the words of policy.py."""

OWNER = ("client",)
SESSION = ("client", "member")
SIGNUP = ("client", "member", "unverified")  # also the session of a registration that is not verified yet
