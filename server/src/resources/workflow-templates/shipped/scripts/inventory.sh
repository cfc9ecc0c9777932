# A table of all files in a folder. Argument: the folder.
set -eu
table=/data/outputs/inventory.csv
sums=/data/outputs/SHA256SUMS.txt
echo 'name,size_bytes,sha256,same_as' > "$table"
: > "$sums"
quoted() { printf '"%s"' "$(printf %s "$1" | sed 's/"/""/g')"; }
all=$(find "$1" -type f | wc -l)
done=0
find "$1" -type f | sort -V | while IFS= read -r path; do
  name=${path##*/}
  sum=$(sha256sum < "$path" | cut -c 1-64)
  same=$(grep -F -m 1 "$sum  " "$sums" | cut -c 67- || true)
  printf '%s  %s\n' "$sum" "$name" >> "$sums"
  echo "$(quoted "$name"),$(stat -c %s "$path"),$sum,$(quoted "$same")" >> "$table"
  done=$((done + 1))
  echo "$done/$all" > /data/progress
done
echo "$all files"
