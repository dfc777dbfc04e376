/** The shape of the next screen, shown while the account or the screen's code loads; styled by shape.css. */
import { useLocation } from "react-router";
import { t } from "../../lib/i18n";

declare global {
  interface Window {
    /** The shape of a screen by its address (public/theme.js). */
    shapeOf?: (pathname: string) => string;
  }
}

const PARTS = Array.from({ length: 9 }, (_, part) => <i key={part} />);

export function ScreenSkeleton() {
  const { pathname } = useLocation();
  const shape = window.shapeOf?.(pathname) ?? "list";
  return (
    <div role="status" aria-label={t("loading")}>
      <div className="shape" data-shape={shape} aria-hidden="true">
        {PARTS}
      </div>
    </div>
  );
}
