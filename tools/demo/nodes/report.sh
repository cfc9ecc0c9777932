# All counts and thumbnails to one page that needs nothing else, and one table of the counts.
# Arguments: the folder of counts, the folder of thumbnails, the id of the run.
set -eu
escape() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g'; }
title=$(printf %s "$PARAM_TITLE" | escape)

table=/data/outputs/word-counts.csv
echo 'document,pages,words,different_words,minutes,frequent_words' > "$table"
for counts in "$1"/*.csv; do
  [ -e "$counts" ] && cat "$counts" >> "$table"
done

{
  cat <<HTML
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>$title</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; color: #23262b; max-width: 60rem; margin: 3rem auto; padding: 0 1.5rem; }
  h1 { font-weight: 600; margin-bottom: 0; } h2 { font-weight: 600; margin-top: 3rem; }
  .note, td small, figcaption { color: #6a7078; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: .6rem .8rem; border-bottom: 1px solid #dde1e6; vertical-align: top; }
  th { font-weight: 500; color: #6a7078; } .number { text-align: right; font-variant-numeric: tabular-nums; }
  .bar { background: #c9973f; height: .4rem; border-radius: .2rem; margin-top: .3rem; }
  .pictures { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-end; }
  figure { margin: 0; } figure img { display: block; border-radius: .4rem; max-width: 100%; }
</style>
<h1>$title</h1>
<p class="note">Run $3. What could not be read is not in here; the run says why.</p>
<h2>Documents</h2>
<table>
<tr><th>Document<th class="number">Pages<th class="number">Words<th class="number">Different<th class="number">Minutes<th>Often used</tr>
HTML
  # The name is quoted and may hold commas; the other fields never do.
  tail -n +2 "$table" | escape | awk '
  {
    end = match($0, /&quot;,[0-9]/)
    name[NR] = substr($0, 7, end - 7)
    gsub(/&quot;&quot;/, "\\&quot;", name[NR])
    split(substr($0, end + 7), field, ",")
    for (i = 1; i <= 4; i++) number[NR, i] = field[i]
    gsub(/&quot;/, "", field[5])
    often[NR] = field[5]
    if (field[2] > most + 0) most = field[2]
  }
  END {
    for (row = 1; row <= NR; row++) {
      printf "<tr><td>%s<div class=\"bar\" style=\"width: %d%%\"></div>", name[row], 100 * number[row, 2] / (most + 0 ? most : 1)
      for (i = 1; i <= 4; i++) printf "<td class=\"number\">%s", number[row, i]
      printf "<td><small>%s</small></tr>\n", often[row]
    }
  }'
  echo '</table><h2>Pictures</h2><div class="pictures">'
  for picture in "$2"/*; do
    [ -e "$picture" ] || continue
    name=$(basename "$picture" | escape)
    printf '<figure><img alt="%s" src="data:image/jpeg;base64,' "$name"
    base64 "$picture" | tr -d '\n'
    printf '"><figcaption>%s</figcaption></figure>\n' "$name"
  done
  echo '</div></html>'
} > /data/outputs/report.html
