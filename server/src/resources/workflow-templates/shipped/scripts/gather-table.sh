# One table of all in a folder, with the first one's heading. Argument: the folder.
set -eu
table=/data/outputs/$PARAM_NAME.csv
: > "$table"
find "$1" -type f | sort -V | while IFS= read -r path; do
  [ -s "$table" ] || head -n 1 "$path" > "$table"
  tail -n +2 "$path" >> "$table"
done
echo "$(($(wc -l < "$table") - 1)) lines"
