// Shows the offline page in the chosen language, and loads the wanted page again when there is a connection.
(function () {
  var chosen = /(?:^|; )language=(\w+)/.exec(document.cookie);
  var sections = document.querySelectorAll("section[lang]");
  var language = chosen && document.querySelector('section[lang="' + chosen[1] + '"]') ? chosen[1] : "en";
  document.documentElement.lang = language;
  sections.forEach(function (section) {
    section.hidden = section.lang !== language;
    var title = section.querySelector("h1");
    if (navigator.onLine) title.textContent = title.getAttribute("data-down");
    section.querySelector("button").addEventListener("click", function () {
      location.reload();
    });
  });
  addEventListener("online", function () {
    location.reload();
  });
  // A server that is down causes no event.
  setInterval(function () {
    fetch("/api/v2/config", { cache: "no-store" }).then(function (response) {
      if (response.ok) location.reload();
    }, function () {});
  }, 5000);
})();
