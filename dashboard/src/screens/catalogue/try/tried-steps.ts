/** The workflow of all tries of a user is called so. */
export const triedSteps = 'Tried steps';
