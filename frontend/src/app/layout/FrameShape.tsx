/** The frame without a word in it, while its code is on its way; frame.css draws it on the pages that have one. */
export const FrameShape = () => <div className="frame-shape" aria-hidden="true" />;
