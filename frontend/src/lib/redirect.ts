/** Replaces the app with an external page, such as the payment provider's. */
export function redirectTo(url: string): void {
  window.location.assign(url);
}
