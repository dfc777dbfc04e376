/** The frame without text, shown while its code loads; styled by frame.css. */
export const FrameShape = () => <div className="frame-shape" aria-hidden="true" />;
