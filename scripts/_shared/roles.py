"""Groups of roles that scripts admit; policy.py defines the roles."""

OWNER = ("client",)
SESSION = ("client", "member")
TEMPORARY = ("temporary",)  # a session opened with a mailed temporary password
SIGNUP = ("client", "member", "unverified")  # includes new accounts that are not verified yet
