/** Copies the samples of a template into a folder, so that it can be tried at once. */
import type { Cog, TemplateSample } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { uploadFile } from '@cogworks/sdk/upload-form';
import { t } from '@lingui/core/macro';
import { api } from '../api.ts';

export const samplesFolder = t`Samples`;

/** @returns the ids of the copies, or of those that are there already. */
export async function copySamples(
  template_id: number,
  samples: readonly TemplateSample[],
): Promise<number[]> {
  const folder = await folderOfSamples();
  return Promise.all(samples.map((sample) => copyOf(template_id, sample, folder.id)));
}

async function folderOfSamples(): Promise<Cog> {
  const root = await api.getRootCog();
  const query = { parent_id: root.id, name: samplesFolder, cog_type: 'asset_folder' } as const;
  const find = async () => (await api.listCogs({ query }))[0];
  const body = { parent_id: root.id, name: samplesFolder, cog_type: 'asset_folder' } as const;
  return (await find()) ?? (await api.createFolder({ body }).catch(orElse(find)));
}

async function copyOf(
  template_id: number,
  { name, media_type, size_bytes }: TemplateSample,
  parent_id: number,
): Promise<number> {
  const find = async () => {
    const found = await api.listCogs({ query: { parent_id, name, cog_type: 'file' } });
    return found.find((cog) => cog.name === name);
  };
  const there = await find();
  if (there?.size_bytes === size_bytes) return there.id;
  const answer = await api.getTemplateSample({ path: { id: template_id, name } });
  const bytes = new File([await answer.arrayBuffer()], name, { type: media_type });
  const copy = await uploadFile(api, { name, bytes, parent_id }).catch(orElse(find));
  return copy.id;
}

/** Two tabs, or a second press, may have made it meanwhile. */
const orElse =
  <Found>(find: () => Promise<Found | undefined>) =>
  async (error: unknown): Promise<Found> => {
    const found = error instanceof ApiError && error.status === 409 ? await find() : undefined;
    if (!found) throw error;
    return found;
  };
