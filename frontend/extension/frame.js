/** Adds the panel to the page, or removes it. It is a frame of the extension, so the page cannot read its content. */
(() => {
  const ID = "contact-panel";
  const present = document.getElementById(ID);
  if (present) return present.remove();
  const frame = document.createElement("iframe");
  frame.id = ID;
  frame.title = "Contact panel";
  frame.allow = "clipboard-write";
  frame.src = chrome.runtime.getURL("popup.html");
  Object.assign(frame.style, {
    all: "initial",
    position: "fixed",
    top: "64px",
    right: "16px",
    width: "336px",
    height: "min(680px, calc(100vh - 80px))",
    border: "0",
    borderRadius: "12px",
    boxShadow: "0 16px 48px -12px rgb(16 35 29 / 28%)",
    zIndex: "2147483647",
  });
  addEventListener("message", ({ source, data }) => {
    if (source === frame.contentWindow && data === "close") frame.remove();
  });
  document.documentElement.append(frame);
})();
