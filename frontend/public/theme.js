// Sets the colour scheme, and which frame and shape the page has, before anything is drawn. The choice of a scheme is kept as
// the cookie "theme"; without one the system decides, also when it changes later.
(function () {
  var system = matchMedia("(prefers-color-scheme: dark)");
  function follow() {
    var chosen = /(?:^|; )theme=(light|dark)/.exec(document.cookie);
    var dark = chosen ? chosen[1] === "dark" : system.matches;
    document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
  }
  follow();
  system.addEventListener("change", follow);
  // Drawn by src/app/frame.css until the app is there; as small as the app will draw it (src/app/layout/Dashboard.tsx).
  if (location.pathname.indexOf("/dashboard") === 0) {
    var small = innerWidth < 1280;
    try {
      small = JSON.parse(localStorage.getItem("sidebar") || String(small));
    } catch (error) {} // no storage
    document.documentElement.setAttribute("data-frame", small ? "small" : "wide");
    // The room of the banner (src/app/layout/DemoBanner.tsx).
    if (/(?:^|; )demo=1/.test(document.cookie)) document.documentElement.setAttribute("data-demo", "");
    // The names of the menu, before the app is there (src/texts).
    var german = /(?:^|; )language=de/.test(document.cookie);
    var names = german
      ? ["Übersicht", "Suche", "Meine Kontakte", "Personensuche", "Firmensuche", "Listen"]
      : ["Dashboard", "Search", "My Contacts", "People Search", "Company Search", "Lists"];
    if (location.pathname.indexOf("/dashboard/settings") !== 0) {
      document.documentElement.style.setProperty("--frame-menu", JSON.stringify(names.join("\n")).replace(/\\n/g, "\\a "));
    }
  }
  // The shape of a screen (src/app/shape.css).
  window.shapeOf = function (path) {
    if (/dashboardmain|dashboard\/?$/.test(path)) return "stats";
    if (/\/(search|bulklookup)\/?$/.test(path)) return "ask";
    if (/\/(upgradeplan|plans)\/?$/.test(path)) return "plans";
    if (/\/(settings|myaccount|password|privacy|creditaddons|scheduledemo|\w+policy|termsofuse)\/?$/.test(path)) return "form";
    return "list";
  };
  // At the end of the page's text: "DOMContentLoaded" would wait for the app's scripts.
  document.addEventListener(
    "readystatechange",
    function () {
      var place = document.querySelector("html[data-frame] #shape > .shape");
      if (place) place.setAttribute("data-shape", window.shapeOf(location.pathname));
    },
    { once: true },
  );
  // The desk has the same frame, always wide (src/screens/desk/DeskFrame.tsx).
  if (/^\/desk(\/|$)/.test(location.pathname)) document.documentElement.setAttribute("data-frame", "wide");
  // The half beside a form before sign-in (src/app/layout/AuthLayout.tsx).
  if (/^\/(login|register|forgotpassword|resetpassword)?$/.test(location.pathname)) document.documentElement.setAttribute("data-pitch", "");
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
