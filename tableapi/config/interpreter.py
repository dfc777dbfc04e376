"""How the running Python was built."""

from __future__ import annotations

import sysconfig


def is_optimized() -> bool:
    """Return whether Python was compiled with profile-guided optimization; True if its build is unknown.

    Debian's packages, which install into /usr, do it without the option.
    """
    options = sysconfig.get_config_var("CONFIG_ARGS")
    return not options or "--enable-optimizations" in options or "'--prefix=/usr'" in options
