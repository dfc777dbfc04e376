/** Opens an external page in place of the app, such as the page of the payment provider. */
export function redirectTo(url: string): void {
  window.location.assign(url);
}
