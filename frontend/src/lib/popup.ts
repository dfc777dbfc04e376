/** The popup of a sign-in provider, and the channel that returns its answer. */

export interface PopupAnswer {
  code: string;
  state: string;
  error: string;
}

const CHANNEL = "social-sign-in";

/** Said by the window that came back. It closes itself. */
export function answerFromPopup(search: string): void {
  const params = new URLSearchParams(search);
  const answer: PopupAnswer = {
    code: params.get("code") ?? "",
    state: params.get("state") ?? "",
    error: params.get("error") ?? "",
  };
  // A provider's own policy may have cut the tie to the opener; pages of this origin can still hear each other.
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(answer);
  channel.close();
  window.opener?.postMessage(answer, window.location.origin);
  window.close();
}

/** Waits for the answer that belongs to a state; answers of other windows, origins and states are not heard. */
export function answerOf(popup: Window, state: string, signal: AbortSignal): Promise<PopupAnswer> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(CHANNEL);
    const take = (answer: Partial<PopupAnswer> | null) => {
      if (answer?.state !== state) return;
      finish();
      resolve(answer as PopupAnswer);
    };
    const heard = (event: MessageEvent) => {
      if (event.origin === window.location.origin && event.source === popup) take(event.data);
    };
    const finish = () => {
      channel.close();
      window.removeEventListener("message", heard);
    };
    channel.addEventListener("message", ({ data }) => take(data));
    window.addEventListener("message", heard);
    signal.addEventListener("abort", () => {
      finish();
      reject(signal.reason);
    });
  });
}
