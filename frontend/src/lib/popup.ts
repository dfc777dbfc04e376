/** The popup of a sign-in provider, and the channel that returns its answer. */

export interface PopupAnswer {
  code: string;
  state: string;
  error: string;
}

const CHANNEL = "social-sign-in";

/** Sends the answer of the provider to the opener and closes the popup. Called in the popup. */
export function answerFromPopup(search: string): void {
  const params = new URLSearchParams(search);
  const answer: PopupAnswer = {
    code: params.get("code") ?? "",
    state: params.get("state") ?? "",
    error: params.get("error") ?? "",
  };
  // The provider's opener policy may have cleared `window.opener`; a channel still connects pages of one origin.
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(answer);
  channel.close();
  window.opener?.postMessage(answer, window.location.origin);
  window.close();
}

/** Waits for the answer with this state. Answers from other windows, origins and states are ignored. */
export function answerOf(popup: Window, state: string, signal: AbortSignal): Promise<PopupAnswer> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(CHANNEL);
    const accept = (answer: Partial<PopupAnswer> | null) => {
      if (answer?.state !== state) return;
      finish();
      resolve(answer as PopupAnswer);
    };
    const onMessage = (event: MessageEvent) => {
      if (event.origin === window.location.origin && event.source === popup) accept(event.data);
    };
    const finish = () => {
      channel.close();
      window.removeEventListener("message", onMessage);
    };
    channel.addEventListener("message", ({ data }) => accept(data));
    window.addEventListener("message", onMessage);
    signal.addEventListener("abort", () => {
      finish();
      reject(signal.reason);
    });
  });
}
