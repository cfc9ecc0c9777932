/** Schemas of a change of the secret of a hook. */
import { type TString, Type } from 'typebox';

/** @param overlap what the old secret is good for meanwhile. */
export const newSecretOf = (title: string, secret: TString, overlap: string) =>
  Type.Object(
    {
      secret: Type.Optional(secret),
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 7 * 24 * 3600,
          default: 24 * 3600,
          description: overlap,
        }),
      ),
    },
    { additionalProperties: false, title },
  );

export const rotatedSecretOf = (title: string) =>
  Type.Object(
    {
      secret: Type.String({ description: 'Shown only here.' }),
      old_secret_ends_at: Type.Optional(Type.String({ format: 'date-time' })),
    },
    { title },
  );
