// Shows the offline page in the chosen language, and loads the wanted page again when there is a connection.
(function () {
  var chosen = /(?:^|; )language=(\w+)/.exec(document.cookie);
  var sections = document.querySelectorAll("section[lang]");
  var language = chosen && document.querySelector('section[lang="' + chosen[1] + '"]') ? chosen[1] : "en";
  document.documentElement.lang = language;
  sections.forEach(function (section) {
    section.hidden = section.lang !== language;
    section.querySelector("button").addEventListener("click", function () {
      location.reload();
    });
  });
  addEventListener("online", function () {
    location.reload();
  });
})();
