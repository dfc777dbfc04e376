"""The callers of the scripts, in the words of policy.py."""

OWNER = ("client",)
SESSION = ("client", "member")
TEMPORARY = ("temporary",)  # a session that was begun with a mailed password, until it is changed
SIGNUP = ("client", "member", "unverified")  # also the session of a registration that is not verified yet
