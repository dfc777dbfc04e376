// Sets the colour scheme before anything is drawn. The choice is the cookie "theme", which the app and Studio share;
// without one the system decides.
(function () {
  var chosen = /(?:^|; )theme=(light|dark)/.exec(document.cookie);
  var dark = chosen ? chosen[1] === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
