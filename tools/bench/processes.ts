/** Drivers: separate processes that do one task after another, so that no event loop is shared. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export type Driver<Task> = {
  /**
   * @throws Error with the driver's message if the task failed, or took longer than ten minutes.
   */
  ask<Answer>(task: Task): Promise<Answer>;
  end(): void;
};

type Answer = { answer?: unknown; failure?: string };

/** Starts `file`, which must call `answerTasks`. */
export function startDriver<Task extends object>(file: string): Driver<Task> {
  const child: ChildProcess = fork(file, { stdio: 'inherit' });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with ${code}.`);
  });
  failed.catch(() => undefined);
  return {
    async ask<Result>(task: Task) {
      const answered = once(child, 'message', { signal: AbortSignal.timeout(600_000) });
      child.send(task);
      const [{ answer, failure }] = (await Promise.race([answered, failed])) as [Answer];
      if (failure !== undefined) throw new Error(failure);
      return answer as Result;
    },
    end: () => void child.kill('SIGKILL'),
  };
}

/** In the driver: handles tasks until the parent process is gone. */
export function answerTasks<Task>(work: (task: Task) => Promise<unknown>): void {
  const tell = (answer: Answer) => void process.send?.(answer);
  process.on('message', (task) => {
    work(task as Task).then(
      (answer) => tell({ answer: answer ?? null }),
      (error: unknown) =>
        tell({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.once('disconnect', () => process.exit());
}
