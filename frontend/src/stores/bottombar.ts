/** The height of a bar at the bottom of the window, `<div ref={bottomBar}>`: messages are shown above it. */
import { create } from "zustand";

const useStore = create<{ height: number }>(() => ({ height: 0 }));

export const useBottomBar = () => useStore((state) => state.height);

// Not a custom property of the root, although that would be simpler: changing it would restyle every element.
export function bottomBar(bar: HTMLElement | null) {
  if (!bar) return;
  const observer = new ResizeObserver(() => useStore.setState({ height: bar.offsetHeight }));
  observer.observe(bar);
  return () => {
    observer.disconnect();
    useStore.setState({ height: 0 });
  };
}
