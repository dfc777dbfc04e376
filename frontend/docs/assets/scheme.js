// Sets the colour scheme before anything is drawn. The choice is stored in the cookie "theme", shared with the app and
// Studio; without one the system decides.
(function () {
  var chosen = /(?:^|; )theme=(light|dark)/.exec(document.cookie);
  var dark = chosen ? chosen[1] === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
