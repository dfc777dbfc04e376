/** Small parts of every screen: buttons, dialogs, menus, states. */
import { type ButtonHTMLAttributes, type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Inbox, type LucideIcon, RefreshCw, TriangleAlert, WifiOff, X } from "lucide-react";
import { ApiError } from "./api/client";
import { T } from "./texts";

export const ICON = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  tone?: "primary" | "plain" | "ghost" | "danger";
  icon?: LucideIcon;
}

export function Button({ tone = "plain", icon: Icon, children, className = "", onClick, ...rest }: ButtonProps) {
  // The first click of a double click may be answered before the second.
  const isOnce = tone === "primary" || tone === "danger" || rest.type === "submit";
  const click = (event: MouseEvent<HTMLButtonElement>): void => {
    if (isOnce && event.detail > 1) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button type="button" className={`button ${tone} ${children === undefined ? "square" : ""} ${className}`} onClick={click} {...rest}>
      {Icon && <Icon {...ICON} />}
      {children !== undefined && <span className="button-text">{children}</span>}
    </button>
  );
}

/** A layer over the page. The browser keeps the focus inside and returns it afterwards. */
export function Dialog({ title, onClose, children, className = "" }: { title: string; onClose: () => void; children: ReactNode; className?: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-labelledby={name}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header className="dialog-head">
        <h2 id={name}>{title}</h2>
        <Button tone="ghost" icon={X} aria-label={T.close} onClick={onClose} />
      </header>
      <div className="dialog-body">{children}</div>
    </dialog>
  );
}

/** A button with a panel below it, which is closed by Escape and by a press elsewhere. */
export function Popover({ label, icon, children, tone = "plain", badge = "", align = "start" }: {
  label: string;
  icon: LucideIcon;
  children: (close: () => void) => ReactNode;
  tone?: ButtonProps["tone"];
  badge?: string;
  align?: "start" | "end";
}) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const close = () => {
    setOpen(false);
    document.getElementById(id)?.querySelector("button")?.focus();
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    const pressed = (event: PointerEvent) => {
      if (!document.getElementById(id)?.contains(event.target as globalThis.Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", pressed);
    return () => document.removeEventListener("pointerdown", pressed);
  }, [id, isOpen]);
  return (
    <div
      className="popover"
      id={id}
      role="presentation"
      onKeyDown={(event) => {
        if (event.key === "Escape" && isOpen) {
          event.stopPropagation();
          close();
        }
      }}
    >
      <Button tone={tone} icon={icon} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
        {badge && <span className="badge">{badge}</span>}
      </Button>
      {isOpen && <div className={`popover-panel ${align}`} role="group" aria-label={label}>{children(close)}</div>}
    </div>
  );
}

interface StateProps {
  icon?: LucideIcon;
  title: string;
  hint?: string;
  isPage?: boolean; // the only content of the page, so its title is the heading
  children?: ReactNode;
}

export function State({ icon: Icon = Inbox, title, hint, isPage = false, children }: StateProps) {
  const Title = isPage ? "h1" : "p";
  return (
    <div className="state" role="status">
      <Icon size={24} strokeWidth={1.75} aria-hidden />
      <Title className="state-title">{title}</Title>
      {hint && <p className="state-hint">{hint}</p>}
      {children}
    </div>
  );
}

interface ProblemProps {
  error: Error;
  retry?: () => void;
  isPage?: boolean;
  children?: ReactNode; // an alternative to trying again
}

export function Problem({ error, retry, isPage, children }: ProblemProps) {
  const isOffline = error instanceof ApiError && error.isOffline;
  return (
    <State icon={isOffline ? WifiOff : TriangleAlert} title={isOffline ? T.offline : T.failed} hint={isOffline ? T.offlineHint : error.message} isPage={isPage}>
      {retry && <Button icon={RefreshCw} onClick={retry}>{T.retry}</Button>}
      {children}
    </State>
  );
}

/** A placeholder that appears only after a short delay. */
export function Waiting() {
  return (
    <div className="waiting" role="status" aria-label={T.loading}>
      {[1, 2, 3, 4, 5, 6].map((line) => <div key={line} className="waiting-line" />)}
    </div>
  );
}

export function Labelled({ label, hint, error, children }: { label: string; hint?: string; error?: string; children: ReactNode }) {
  return (
    <label className="labelled">
      <span className="labelled-name">{label}</span>
      {children}
      {hint && <span className="labelled-hint">{hint}</span>}
      {error && <span className="labelled-error" role="alert">{error}</span>}
    </label>
  );
}
