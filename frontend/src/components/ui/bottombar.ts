/** A bar at the bottom of the window: `<div ref={bottomBar}>`. Notes are shown above it, whatever its height. */
export function bottomBar(bar: HTMLElement | null) {
  if (!bar) return;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => style.setProperty("--bottom-bar", `${bar.offsetHeight}px`));
  observer.observe(bar);
  return () => {
    observer.disconnect();
    style.removeProperty("--bottom-bar");
  };
}
