/** Addresses of files outside the app. */

/** The packed browser extension, built together with the app. */
export const EXTENSION_URL = "/extension.zip";
