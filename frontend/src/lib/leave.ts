/** Leaves the app for an external page, such as the payment provider's. */
export function leaveTo(url: string): void {
  window.location.assign(url);
}
