# All pictures of a folder on sheets. Argument: the folder.
set -eu
list=$(find "$1" -type f | sort -V)
set --
while IFS= read -r path; do
  # Of several pictures in a file, as of an animation, the first one.
  set -- "$@" "$path[0]"
done <<LIST
$list
LIST
# Pictures are read in about the size they are drawn in, as far as their format allows.
exec montage -limit memory 256MiB -limit map 256MiB \
  -define "jpeg:size=$((PARAM_SIZE * 2))x$((PARAM_SIZE * 2))" -auto-orient \
  -font /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf -pointsize 12 -label '%f' \
  "$@" -thumbnail "${PARAM_SIZE}x${PARAM_SIZE}>" \
  -geometry +12+12 -tile "${PARAM_COLUMNS}x8" -background white -quality 88 \
  /data/outputs/contact-sheet.jpg
