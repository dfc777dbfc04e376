"""Groups of roles that scripts allow; policy.py defines the roles."""

OWNER = ("client",)
SESSION = ("client", "member")
STAFF = ("staff",)
OWNER_VIEW = ("viewclient",)  # staff viewing the app as the owner or a member
VIEW = ("viewclient", "viewmember")
TEMPORARY = ("temporary",)  # a session opened with a mailed temporary password
SIGNUP = ("client", "member", "unverified")  # includes new accounts that are not verified yet
