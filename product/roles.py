"""Groups of roles that scripts admit; policy.py defines the roles."""

OWNER = ("client",)
SESSION = ("client", "member")
STAFF = ("staff",)
OWNER_VIEW = ("viewclient",)  # staff looking at the app as the owner or as a member sees it
VIEW = ("viewclient", "viewmember")
TEMPORARY = ("temporary",)  # a session opened with a mailed temporary password
SIGNUP = ("client", "member", "unverified")  # includes new accounts that are not verified yet
