/** Leaving the app for a page of somebody else, such as the payment provider's. */
export function leaveTo(url: string): void {
  window.location.assign(url);
}
