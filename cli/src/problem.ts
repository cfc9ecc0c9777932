/** An error that the user can correct: shown as a message, without a stack. */
export class Problem extends Error {}

/** The command line is wrong: its usage is shown too, and the exit code differs. */
export class UsageProblem extends Problem {}
