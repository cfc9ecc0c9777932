/** What stops a command and can be mended by whoever typed it: said in words, without a stack. */
export class Problem extends Error {}

/** The command was typed wrongly: its usage is shown with it, and the exit code is another. */
export class UsageProblem extends Problem {}
