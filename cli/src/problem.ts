/** Something that stops a command and that the user can correct: shown as a message, without a stack. */
export class Problem extends Error {}

/** The command was typed wrongly: its usage is shown with it, and the exit code is another. */
export class UsageProblem extends Problem {}
