/** The frame without a word in it, while its code is on its way; nothing before the sign-in. */
export function FrameShape() {
  return window.location.pathname.startsWith("/dashboard") ? <div className="frame-shape" aria-hidden="true" /> : null;
}
