/** Addresses of files outside the app. */

/** The packed browser extension, built beside the app. */
export const EXTENSION_URL = "/extension.zip";
