/** Whether keys are those of a Mac. */
export const isMac = /mac|iphone|ipad/i.test(navigator.platform);
