// Sets the colour scheme before anything is drawn. The choice is kept as the cookie "theme"; without one the system decides.
(function () {
  var chosen = /(?:^|; )theme=(light|dark)/.exec(document.cookie);
  var dark = chosen ? chosen[1] === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
  // Paper is light.
  var shown = null;
  addEventListener("beforeprint", function () {
    shown = document.documentElement.getAttribute("data-mantine-color-scheme");
    document.documentElement.setAttribute("data-mantine-color-scheme", "light");
  });
  addEventListener("afterprint", function () {
    if (shown) document.documentElement.setAttribute("data-mantine-color-scheme", shown);
  });
})();
